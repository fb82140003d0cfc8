/* String functions. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char text[] = "the quick brown fox jumps over the lazy dog";
	int counts[26] = { 0 };
	for (char *p = text; *p; p++)
		if (isalpha((unsigned char)*p))
			counts[*p - 'a']++;
	for (int i = 0; i < 26; i++)
		printf("%d", counts[i]);
	putchar('\n');
	char *copy = strdup(text), *save = NULL;
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		word[0] = (char)toupper((unsigned char)word[0]);
		printf("%s(%zu) ", word, strlen(word));
	}
	putchar('\n');
	printf("%s %s %zu %zu\n", strrchr(text, 'o'), strstr(text, "fox"), strspn(text, "eht "), strcspn(text, "q"));
	char joined[64] = "";
	strcat(joined, "left");
	strncat(joined, "right", 3);
	printf("%s %d %d\n", joined, strcmp("a", "b") < 0, memcmp("abc", "abd", 2));
	memmove(text + 4, text, 9);
	puts(text);
	int a, b;
	char word[10];
	printf("%d", sscanf("12 34 word", "%d %d %9s", &a, &b, word));
	printf(" %d %d %s\n", a, b, word);
	free(copy);
	return 0;
}
