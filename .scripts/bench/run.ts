/** What every part of a run works with. */
import type { Bundles } from "./build.ts";
import type { Receiver } from "./receiver.ts";

export interface Run {
  bundles: Bundles;
  receiver: Receiver;
  concurrency: number;
  /** Turns that each contestant has. */
  rounds: number;
  /** Whether the operation or part is to be measured. */
  wants(name: string): boolean;
  /** A count of requests, by `--scale`. */
  scaled(count: number): number;
  /** Prints how far the run has come. */
  progress(text: string): void;
}
