/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What unit.c, compiled as a part of the kernel, and main.c, compiled as a
 * program, know of each other.  Plain C types only: the two share no header.
 */
#ifndef RTMIG_FEAT_H
#define RTMIG_FEAT_H

struct seq_file;

/* A scheduler feature: the index in feats[] is its bit. */
struct feat {
	const char *name;
	int (*value)(void);	/* sched_feat() kept in an int */
	int (*branch)(void);	/* sched_feat() decides a branch */
	int start;		/* the default that features.h states */
};

/* unit.c */
extern const struct feat feats[];
extern const int feat_nr;
extern const int feat_debug;	/* built with SCHED_DEBUG */
extern const int feat_label;	/* built with JUMP_LABEL */

void feat_init(void);
int feat_set(char *word);	/* what a write to debugfs does */
int feat_show(struct seq_file *m);	/* what a read of it does */
int feat_key(int i);		/* the state of the static key */

/* main.c */
void feat_poke(void *at, const void *bytes, unsigned long len);

#endif
