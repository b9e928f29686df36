# SPDX-License-Identifier: BSD-2-Clause

# One file a run is SQLite; a fleet may lie in PostgreSQL.
libs := -lsqlite3 -lpq -lcrypto
libs.unit_content_hash := -lmd
