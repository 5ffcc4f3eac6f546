/** The time that a refused sign-in takes at least, so that it does not tell where the password was looked up. */
import { afterEach, beforeEach, vi } from "vitest";

/** The shorter of the two. */
const LEAST_FLOOR_MS = 500;

/** Lets that time pass at once in each test of the file. Returns what makes it real again, for the rest of a test. */
export function passFloors(): () => void {
  const real = scheduler.wait.bind(scheduler);
  let restore = () => {};
  beforeEach(() => {
    const spy = vi.spyOn(scheduler, "wait");
    spy.mockImplementation((ms, options) => real(ms < LEAST_FLOOR_MS ? ms : 0, options));
    restore = () => spy.mockRestore();
  });
  afterEach(() => restore());
  return () => restore();
}
