/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of KUnit as the tree's cpupri_kunit.c uses. */
#include <setjmp.h>

struct kunit {
	void *priv;
	void *allocated[16];
	int allocations;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)		{ fn, #fn }
#define kunit_test_suite(suite)	\
	static struct kunit_suite *shim_suite = &suite

static jmp_buf shim_kunit_out;
static bool shim_kunit_failed;
static char shim_kunit_why[200];

static __maybe_unused void *shim_kunit_alloc(struct kunit *test, size_t size)
{
	void *p = shim_alloc(size);

	if (test->allocations == ARRAY_SIZE(test->allocated))
		abort();
	test->allocated[test->allocations++] = p;
	return p;
}

#define kunit_kzalloc(test, size, gfp)		shim_kunit_alloc(test, size)
#define kunit_kcalloc(test, n, size, gfp)	shim_kunit_alloc(test, (size_t)(n) * (size))
#define kunit_info(test, fmt, n)		((void)(n))
#define kunit_skip(test, ...)			longjmp(shim_kunit_out, 1)

#define SHIM_KUNIT(ok, text) do {					\
	if (!(ok)) {							\
		shim_kunit_failed = true;				\
		snprintf(shim_kunit_why, sizeof(shim_kunit_why),	\
			 "line %d: %s", __LINE__, text);		\
		longjmp(shim_kunit_out, 1);				\
	}								\
} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)		SHIM_KUNIT((a) == (b), #a " == " #b)
#define KUNIT_ASSERT_NOT_NULL(test, a)		SHIM_KUNIT(a, #a)
#define KUNIT_ASSERT_EQ_MSG(test, a, b, ...)	SHIM_KUNIT((a) == (b), #a " == " #b)
#define KUNIT_ASSERT_TRUE_MSG(test, a, ...)	SHIM_KUNIT(a, #a)
#define KUNIT_ASSERT_FALSE_MSG(test, a, ...)	SHIM_KUNIT(!(a), "not " #a)
