# SPDX-License-Identifier: BSD-2-Clause

optimise := speed
pure := ata gpt layout service_law
tested := nvme_command
