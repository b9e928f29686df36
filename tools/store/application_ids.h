/* SPDX-License-Identifier: BSD-2-Clause */
/* The application_id of databases of SQLite that are tare's. */
#pragma once

#define RUNFILE_APPLICATION_ID 0x74617265 /* "tare" */
#define FLEET_APPLICATION_ID   0x74617266 /* "tarf" */
