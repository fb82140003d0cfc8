/* A thermostat. The sensor is hardware: there is no code for it. */
#include <stdio.h>

int read_sensor(int number);

static const char *const names[] = {"freezing", "cold", "fine", "warm", "hot"};

int main(void) {
  int degrees = (read_sensor(0) + read_sensor(1)) / 2;
  puts(names[(degrees + 20) / 15]);
  return 0;
}
