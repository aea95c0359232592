// SPDX-License-Identifier: MIT
/*
 * Who listens on TCP, and who owns it. Asks sock_diag for sockets in LISTEN (the kernel filters;
 * no privilege), else reads /proc/net/tcp*. An owner is found through /proc/PID/fd, which costs
 * much where JVMs run, so it is searched only for sockets that are new or whose owner went away.
 * Where another user's descriptors are closed to us, the same user in the same cgroup is probable.
 * Source: sock_diag(7), include/uapi/linux/inet_diag.h; checked on 6.18. Actor's thread.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "look.h"

enum { ANSWER_MAX = 32768, PROC_NET_MAX = 256 * 1024, LISTENERS_MAX = 20000, TRIES = 2, SKV6ONLY = 11, CGROUP_ID = 21 };

/* Programs that hold sockets for others: where one of those holds it too, that one is the owner. */
static const char *const keepers[] = {"systemd", "dockerd"};

/* What starts or guards a server and never is one. */
static const char *const helpers[] = {
	"sh", "bash", "dash", "ash", "zsh", "tail", "sleep", "cat", "tee", "timeout", "sudo", "su", "docker-init", "tini", "dumb-init",
	"catatonit", "conmon",
};

void listeners_free(struct listeners *all)
{
	free(all->at);
	*all = (struct listeners){0};
}

static struct heard *add(struct listeners *all)
{
	if (all->n == LISTENERS_MAX)
		return NULL;
	if (all->n == all->room) {
		all->room = all->room ? all->room * 2 : 64;
		all->at = mem_grow(all->at, all->room, sizeof *all->at);
	}
	all->at[all->n] = (struct heard){0};
	return &all->at[all->n++];
}

/* Numbers as a person writes them: an IPv4 address in IPv6 clothes is an IPv4 address. */
static void set_address(struct heard *l, int family, const unsigned char bytes[16])
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff}, any[16] = {0};
	bool v6 = family == AF_INET6;

	if (v6 && !memcmp(bytes, mapped, sizeof mapped)) {
		v6 = false;
		bytes += sizeof mapped;
	}
	l->row.open = true;
	if (!memcmp(bytes, any, v6 ? 16 : 4)) {
		text_copy(l->row.address, sizeof l->row.address, v6 && l->only_v6 ? TEXT("[::]") : TEXT("*"));
		return;
	}
	if (!inet_ntop(v6 ? AF_INET6 : AF_INET, bytes, l->row.address, sizeof l->row.address))
		l->row.address[0] = '\0';
	l->row.open = v6 ? strcmp(l->row.address, "::1") != 0 : bytes[0] != 127;
}

/* ---- sock_diag ---- */

static void diag_attributes(struct heard *l, const unsigned char *p, size_t len)
{
	uint16_t size, type;
	size_t step;

	while (len >= 4) {
		memcpy(&size, p, 2);
		memcpy(&type, p + 2, 2);
		if (size < 4 || size > len)
			return;
		if (type == SKV6ONLY && size >= 5)
			l->only_v6 = p[4] != 0;
		else if (type == CGROUP_ID && size >= 12)
			memcpy(&l->cgroup, p + 4, 8);
		step = (size + 3u) & ~(size_t)3;
		if (step > len)
			return;
		p += step;
		len -= step;
	}
}

int diag_parse(struct listeners *all, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	struct nlmsghdr head;
	struct inet_diag_msg m;

	while (len >= sizeof head) {
		size_t step;
		struct heard *l;

		memcpy(&head, p, sizeof head);
		if (head.nlmsg_len < sizeof head || head.nlmsg_len > len || head.nlmsg_type == NLMSG_ERROR)
			return -1;
		if (head.nlmsg_type == NLMSG_DONE)
			return 1;
		if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY && head.nlmsg_len >= sizeof head + sizeof m) {
			memcpy(&m, p + sizeof head, sizeof m);
			l = add(all);
			if (l) {
				l->row.port = ntohs(m.id.idiag_sport);
				l->row.uid = m.idiag_uid;
				l->row.inode = m.idiag_inode;
				diag_attributes(l, p + sizeof head + sizeof m, head.nlmsg_len - sizeof head - sizeof m);
				set_address(l, m.idiag_family, (const unsigned char *)m.id.idiag_src);
			}
		}
		step = (head.nlmsg_len + 3u) & ~(size_t)3;
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
	return 0;
}

static bool diag_family(struct listeners *all, int fd, unsigned char family, unsigned char *answer)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 ask;
	} question = {
		.head = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.ask = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_LISTEN},
	};

	if (send(fd, &question, sizeof question, 0) != (ssize_t)sizeof question)
		return false;
	for (;;) {
		ssize_t n = recv(fd, answer, ANSWER_MAX, 0);
		int done;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done = diag_parse(all, answer, (size_t)n);
		if (done)
			return done > 0;
	}
}

static bool ask_diag(struct listeners *all)
{
	static const struct timeval limit = {1, 0}; /* the kernel answers at once; nothing waits for ever */
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	unsigned char *answer;
	bool fine;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	answer = mem_new(ANSWER_MAX, 1);
	fine = diag_family(all, fd, AF_INET, answer);
	diag_family(all, fd, AF_INET6, answer); /* may be switched off in the kernel */
	free(answer);
	close(fd);
	return fine;
}

/* ---- /proc/net/tcp, where netlink is forbidden ---- */

static bool hex_address(struct text t, unsigned char out[16])
{
	char word[9];

	if (t.len != 8 && t.len != 32)
		return false;
	for (size_t i = 0; i < t.len / 8; i++) {
		uint32_t n = (uint32_t)strtoul(text_copy(word, sizeof word, (struct text){t.at + i * 8, 8}), NULL, 16);

		memcpy(out + i * 4, &n, 4); /* printed as the number that lies in memory */
	}
	return true;
}

void proc_net_parse(struct listeners *all, struct text content, bool v6)
{
	struct text line, word[10];
	char port[8];

	while (text_line(&content, &line)) {
		unsigned char address[16] = {0};
		int64_t uid, inode;
		size_t n = 0;
		struct heard *l;

		while (n < 10 && text_word(&line, &word[n]))
			n++;
		if (n < 10 || !text_is(word[3], "0A") || !hex_address(text_until(word[1], ':'), address))
			continue;
		if (!text_i64(word[7], &uid) || !text_i64(word[9], &inode) || !(l = add(all)))
			continue;
		l->row.port = (uint16_t)strtoul(text_copy(port, sizeof port, text_after(word[1], ':')), NULL, 16);
		l->row.uid = (uid_t)uid;
		l->row.inode = (uint64_t)inode;
		set_address(l, v6 ? AF_INET6 : AF_INET, address);
		l->only_v6 = v6 && !strcmp(l->row.address, "*"); /* not told: settled below */
	}
}

/* Both families on one port, any address: then the IPv6 one is for IPv6 only, or it could not be. */
static void settle_only_v6(struct listeners *all)
{
	for (size_t i = 0; i < all->n; i++) {
		bool other = false;

		if (!all->at[i].only_v6)
			continue;
		for (size_t j = 0; j < all->n; j++)
			other |= !all->at[j].only_v6 && all->at[j].row.port == all->at[i].row.port && !strcmp(all->at[j].row.address, "*");
		if (other)
			text_copy(all->at[i].row.address, sizeof all->at[i].row.address, TEXT("[::]"));
		all->at[i].only_v6 = other;
	}
}

static bool read_proc_net(struct listeners *all, const char *proc)
{
	static const char *const names[] = {"net/tcp", "net/tcp6"};
	struct buf content;
	bool any = false;

	buf_init(&content, PROC_NET_MAX); /* listening sockets come first */
	for (int v6 = 0; v6 <= 1; v6++) {
		char path[256], chunk[8192];
		int fd;
		ssize_t n;

		snprintf(path, sizeof path, "%s/%s", proc, names[v6]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		buf_reset(&content);
		while ((n = read(fd, chunk, sizeof chunk)) > 0 && buf_add(&content, chunk, (size_t)n))
			continue;
		close(fd);
		proc_net_parse(all, buf_text(&content), v6);
		any = true;
	}
	buf_free(&content);
	settle_only_v6(all);
	return any;
}

/* ---- owners ---- */

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int keeper(const struct known *p)
{
	return is_one_of(p->row.name, keepers, sizeof keepers / sizeof *keepers);
}

/* The youngest first: a new socket is mostly a new process's. Keepers last. */
static int by_age(const void *a, const void *b)
{
	const struct known *x = *(const struct known *const *)a, *y = *(const struct known *const *)b;

	if (keeper(x) != keeper(y))
		return keeper(x) - keeper(y);
	if (x->started != y->started)
		return x->started > y->started ? -1 : 1;
	return (x->row.pid < y->row.pid) - (x->row.pid > y->row.pid);
}

static bool is_wanted(const struct heard *l)
{
	return l->row.inode && !l->row.pid && l->tries < TRIES;
}

/* Was its owner found by this search, and is it a child of p? Then p may be the master that it works for. */
static bool is_childs(const struct heard *l, const struct known *p)
{
	return l->fresh && l->parent == p->row.pid && !keeper(p);
}

static void take_socket(struct listeners *all, const struct known *p, uint64_t inode)
{
	for (size_t i = 0; i < all->n; i++) {
		struct heard *l = &all->at[i];

		if (l->row.inode != inode || !(is_wanted(l) || is_childs(l, p)))
			continue;
		l->row.pid = p->row.pid;
		l->parent = p->row.parent;
		l->started = p->started;
		l->fresh = true;
	}
}

static void take_sockets(struct listeners *all, int proc, const struct known *p)
{
	char path[48], link[64];
	const struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof path, "%d/fd", (int)p->row.pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(fd, entry->d_name, link, sizeof link);
		struct text socket = {link, n > 0 ? (size_t)n : 0};
		int64_t inode;

		if (text_skip(&socket, "socket:[") && text_i64(text_until(socket, ']'), &inode))
			take_socket(all, p, (uint64_t)inode);
	}
	if (dir)
		closedir(dir);
}

static bool worth_reading(const struct listeners *all, const struct known *p)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_wanted(&all->at[i]) || is_childs(&all->at[i], p))
			return !p->kernel;
	return false;
}

/* From the youngest to the eldest, so that a socket climbs from a worker to its master, until all are found. */
static void search_owners(struct listeners *all, const char *proc, const struct processes *processes)
{
	struct known **order = mem_new(processes->n, sizeof *order);
	int fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	all->searches++;
	memcpy(order, processes->at, processes->n * sizeof *order);
	qsort(order, processes->n, sizeof *order, by_age);
	for (size_t i = 0; i < processes->n && fd >= 0; i++)
		if (worth_reading(all, order[i]))
			take_sockets(all, fd, order[i]);
	if (fd >= 0)
		close(fd);
	free(order);
	for (size_t i = 0; i < all->n; i++)
		all->at[i].tries += is_wanted(&all->at[i]);
}

bool proxy_parse(struct text hint, struct proxy *out)
{
	struct text word, value, target = TEXT(""), to_port = TEXT("");
	int64_t port = 0;
	bool v6;

	*out = (struct proxy){0};
	if (!text_word(&hint, &word) || !text_is(word, "docker-proxy"))
		return false;
	while (text_word(&hint, &word)) {
		struct text rest = hint;

		if (!text_word(&rest, &value))
			break;
		if (text_is(word, "-host-ip"))
			text_copy(out->address, sizeof out->address, value);
		else if (text_is(word, "-host-port"))
			text_i64(value, &port);
		else if (text_is(word, "-container-ip"))
			target = value;
		else if (text_is(word, "-container-port"))
			to_port = value;
	}
	if (port < 1 || port > UINT16_MAX || !target.len || !to_port.len)
		return false;
	out->port = (uint16_t)port;
	v6 = memchr(target.at, ':', target.len) != NULL;
	snprintf(out->target, sizeof out->target, "%s%.*s%s:%.*s", v6 ? "[" : "", (int)target.len, target.at, v6 ? "]" : "",
		(int)to_port.len, to_port.at);
	return true;
}

static bool proxies(const struct known *p, const struct heard *l)
{
	struct proxy proxy;
	bool any, v6;

	if (strcmp(p->row.name, "docker-proxy") != 0 || !proxy_parse(text_of(p->row.hint), &proxy) || proxy.port != l->row.port)
		return false;
	v6 = strchr(proxy.address, ':') != NULL;
	any = v6 ? !strcmp(proxy.address, "::") : !strcmp(proxy.address, "0.0.0.0");
	return any ? !strcmp(l->row.address, v6 ? "[::]" : "*") : !strcmp(l->row.address, proxy.address);
}

static bool descends(const struct processes *all, const struct known *p, pid_t from)
{
	for (int depth = 0; p && depth < 32; depth++) {
		if (p->row.pid == from)
			return true;
		p = processes_find(all, p->row.parent);
	}
	return false;
}

/* May p own this socket of another user: same user, same cgroup, and no shell or init? */
static bool is_candidate(const struct known *p, const struct heard *l, const struct place *place)
{
	return !p->kernel && p->row.uid == l->row.uid && place && p->place.hash == place->hash &&
	       !is_one_of(p->row.name, helpers, sizeof helpers / sizeof *helpers);
}

/* Another user's socket: whoever may own it, if that leaves one server and its workers. */
static const struct known *guess_owner(const struct heard *l, const struct processes *all, const struct place *place)
{
	const struct known *guess = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const struct known *p = all->at[i];

		if (!p->kernel && p->row.uid == l->row.uid && proxies(p, l))
			return p;
		if (is_candidate(p, l, place) && (!guess || p->started < guess->started))
			guess = p;
	}
	for (size_t i = 0; guess && i < all->n; i++)
		if (is_candidate(all->at[i], l, place) &&
		    (strcmp(all->at[i]->row.name, guess->row.name) != 0 || !descends(all, all->at[i], guess->row.pid)))
			return NULL;
	return guess;
}

static void describe(struct heard *l, const struct processes *processes, const struct place *place)
{
	const struct known *owner = l->row.pid ? processes_find(processes, l->row.pid) : NULL;
	struct proxy proxy;
	bool by_owner = owner && (owner->row.container[0] || owner->row.unit[0]);

	text_copy(l->row.container, sizeof l->row.container, text_of(by_owner ? owner->row.container : place ? place->container : ""));
	text_copy(l->row.unit, sizeof l->row.unit, text_of(by_owner ? owner->row.unit : place ? place->unit : ""));
	l->row.proxied[0] = '\0';
	if (owner && proxy_parse(text_of(owner->row.hint), &proxy))
		text_clean(l->row.proxied, sizeof l->row.proxied, text_of(proxy.target));
}

static int by_port(const void *a, const void *b)
{
	const struct heard *x = a, *y = b;
	int address;

	if (x->row.port != y->row.port)
		return x->row.port < y->row.port ? -1 : 1;
	address = strcmp(x->row.address, y->row.address);
	if (address)
		return address;
	return (x->row.inode > y->row.inode) - (x->row.inode < y->row.inode);
}

/* What was found out about a socket before holds while its owner lives. Returns how many owners are to be searched. */
static size_t carry_over(struct listeners *all, const struct heard *old, size_t n, const struct processes *processes)
{
	size_t wanted = 0, j = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct heard *l = &all->at[i];
		const struct known *owner;

		while (j < n && by_port(&old[j], l) < 0)
			j++;
		if (j < n && by_port(&old[j], l) == 0) {
			owner = old[j].row.pid && !old[j].row.pid_probable ? processes_find(processes, old[j].row.pid) : NULL;
			if (owner && owner->started == old[j].started) {
				l->row.pid = owner->row.pid;
				l->started = owner->started;
			} else if (!old[j].row.pid || old[j].row.pid_probable) {
				l->tries = old[j].tries;
			}
		}
		wanted += is_wanted(l);
	}
	return wanted;
}

void listeners_guess(struct listeners *all, const struct processes *processes, struct cgroups *cgroups)
{
	for (size_t i = 0; i < all->n; i++) {
		struct heard *l = &all->at[i];
		const struct place *place = cgroups ? cgroups_find(cgroups, l->cgroup) : NULL;
		const struct known *guess;

		/* what we may see was seen: the rest belongs to others */
		if (!l->row.pid && all->me && l->row.uid != all->me && (guess = guess_owner(l, processes, place))) {
			l->row.pid = guess->row.pid;
			l->row.pid_probable = true;
		}
		describe(l, processes, place);
	}
}

bool listeners_look(struct listeners *all, const char *proc, const struct processes *processes, struct cgroups *cgroups)
{
	struct heard *old = all->at;
	size_t n = all->n, wanted;
	bool fine;

	all->at = NULL;
	all->n = all->room = 0;
	fine = !all->by_proc && ask_diag(all);
	if (!fine) {
		all->n = 0;
		fine = read_proc_net(all, proc);
	}
	if (all->n)
		qsort(all->at, all->n, sizeof *all->at, by_port);
	wanted = carry_over(all, old, n, processes);
	free(old);
	if (wanted)
		search_owners(all, proc, processes);
	listeners_guess(all, processes, cgroups);
	return fine;
}
