// SPDX-License-Identifier: MIT
/*
 * Gives back memory that only the start needed. Fifty libraries touch some 8 MiB of their code
 * and tables while they set themselves up (measured: libcrypto 3, libgnutls 1), and a screen that
 * runs for weeks needs a tenth of it again. Pages of read-only segments are dropped, which the
 * kernel reads back from its page cache when they are used; the heap's unused end is returned.
 * Main thread; harmless to others.
 */
#include "trim.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int drop_segments(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		/* whole pages of this segment only: its neighbour may be writable */
		uintptr_t start = (info->dlpi_addr + segment->p_vaddr + page - 1) / page * page;
		uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_filesz) / page * page;

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W) && end > start)
			madvise((void *)start, end - start, MADV_DONTNEED);
	}
	return 0;
}

void memory_trim(void)
{
	dl_iterate_phdr(drop_segments, NULL);
	malloc_trim(0);
}
