/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/event_list.h"

#include "tools/base/alloc.h"

#include <stdlib.h>

void event_list_grow(struct event_list *list, size_t slots)
{
    size_t heap_slots = list->slots;
    size_t position_slots = list->slots;

    list->heap = alloc_grow(list->heap, &heap_slots, slots, sizeof(*list->heap));
    list->position = alloc_grow(list->position, &position_slots, slots, sizeof(*list->position));
    list->slots = heap_slots;
}

void event_list_free(struct event_list *list)
{
    free(list->heap);
    free(list->position);
    *list = (struct event_list){0};
}
