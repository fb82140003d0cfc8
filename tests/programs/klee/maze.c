/* A walk through a maze, found by an assertion at its end; one wall can be walked through.
 * errors: assert
 * exits: 0 1 */
#include <assert.h>
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

#define H 5
#define W 7
#define STEPS 8

char maze[H][W + 1] = { "+-+---+", "| |   #", "| | --+", "|     |", "+-----+" };

int main(int argc, char *argv[])
{
	int x = 1, y = 1, ox, oy, i = 0;
	char program[STEPS];
	klee_make_symbolic(program, STEPS, "program");
	while (i < STEPS) {
		ox = x;
		oy = y;
		switch (program[i]) {
		case 'w': y--; break;
		case 's': y++; break;
		case 'a': x--; break;
		case 'd': x++; break;
		default: return 1;
		}
		if (maze[y][x] == '#') {
			printf("You win!\n");
			klee_assert(0);
		}
		if (maze[y][x] != ' ' && !(y == 2 && maze[y][x] == '|' && x > 0 && x < W - 1)) {
			x = ox;
			y = oy;
		}
		if (ox == x && oy == y)
			return 1;
		maze[y][x] = 'X';
		i++;
	}
	return 0;
}
