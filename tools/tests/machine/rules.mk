# SPDX-License-Identifier: BSD-2-Clause

# Programs that run code of the image on an emulated processor, or on this one.
programs := machine_checks cause_machine finding_machine idle_machine ahci_machine alarm_machine e1000_machine input_machine nvme_machine uart_machine virtio_machine virtio_net_machine pmu_table pmu_machine pmu_silicon recorder_machine
libs := -lunicorn -lcapstone
