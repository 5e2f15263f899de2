// measured RESULT PROGRAM [ARGUMENT...]
//
// Runs a program, and writes its processor time in microseconds and its most resident memory in KiB
// to the file RESULT. It is small on purpose: the kernel counts what lay in memory before the
// program was loaded as the program's, so nothing started by Python seems smaller than Python.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 3) return 125;
    pid_t child = fork();
    if (child < 0) return 125;
    if (child == 0) {
        execvp(words[2], words + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child) return 125;
    FILE *result = fopen(words[1], "w");
    if (!result) return 125;
    long long microseconds = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL +
                             used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    fprintf(result, "%lld %ld\n", microseconds, used.ru_maxrss);
    if (fclose(result)) return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
