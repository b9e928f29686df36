# SPDX-License-Identifier: BSD-2-Clause

# It calls QEMU: tools/build/plugin.mk makes shared objects of it, and of what tests link as well.
apart := plugin
