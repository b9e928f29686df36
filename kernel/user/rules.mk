# SPDX-License-Identifier: BSD-2-Clause

ring3 := all
