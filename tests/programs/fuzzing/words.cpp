// A harness in C++: a class, operator new, an exception.
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

struct Wrong {
    std::size_t at;
};

class Reader {
    const std::uint8_t *data;
    std::size_t size, at = 0;

public:
    Reader(const std::uint8_t *data, std::size_t size) : data(data), size(size) {}

    unsigned digit()
    {
        if (at == size)
            throw Wrong{at};
        unsigned digit = data[at++] - '0';
        if (digit > 9)
            throw Wrong{at - 1};
        return digit;
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    Reader *reader = new Reader(data, size);
    int result = 0;
    try {
        unsigned number = 10 * reader->digit();
        number += reader->digit();
        std::puts(number == 42 ? "the answer" : "a number");
    } catch (const Wrong &wrong) {
        std::printf("wrong at %zu\n", wrong.at);
        result = -1;
    }
    delete reader;
    return result;
}
