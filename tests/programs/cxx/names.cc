// A fault in a function of a template within a namespace.
namespace app {

template <typename T> struct Reader {
	const T *text;
	__attribute__((noinline)) T at(unsigned long where) const { return text[where]; }
};

} // namespace app

int main(int argc, char **argv)
{
	volatile char text[2] = { 1, 2 };
	app::Reader<volatile char> reader{ text };
	return reader.at(argc > 1 && argv[1][0] == 'x' ? 7 : 1);
}
