# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := acpi aml_sleep smbios
