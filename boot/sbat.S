/* SPDX-License-Identifier: BSD-2-Clause */
/* The generation of the image. Shim starts no program without it (SBAT.md of rhboot/shim). */
#include "kernel/plan/version.h"

.section .sbat, "a"
.hidden image_sbat
.globl image_sbat
image_sbat:
.ascii "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
.ascii "tare,1,tare,tare," TARE_VERSION ",local\n"
.section .note.GNU-stack, "", @progbits
