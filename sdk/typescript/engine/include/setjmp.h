// dtoa.c includes this and uses nothing of it.
