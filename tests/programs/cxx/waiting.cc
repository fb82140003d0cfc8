// Waits of conditions with a bound, which libc++ makes by the steady clock: what is printed is compared with a
// native run.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

int main()
{
	using namespace std::chrono;
	std::mutex lock;
	std::condition_variable changed;
	bool ready = false;
	std::thread other([&] {
		std::lock_guard<std::mutex> held(lock);
		ready = true;
		changed.notify_one();
	});
	std::unique_lock<std::mutex> held(lock);
	std::cout << changed.wait_for(held, seconds(20), [&] { return ready; }) << '\n';
	auto before = steady_clock::now();
	std::cout << (changed.wait_for(held, milliseconds(20)) == std::cv_status::timeout);
	std::cout << (steady_clock::now() - before >= milliseconds(20)) << '\n';
	auto until = system_clock::now() + milliseconds(20);
	std::cout << (changed.wait_until(held, until) == std::cv_status::timeout);
	std::cout << (system_clock::now() >= until) << '\n';
	held.unlock();
	other.join();
}
