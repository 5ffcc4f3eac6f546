/** What the simulation of an hour reports. */

/** D1 calls, and their rows as D1 counts them: with the rows of indexes. */
export interface Cost {
  calls: number;
  rowsRead: number;
  rowsWritten: number;
}

export interface HourResult {
  events: number;
  deliveries: number;
  succeeded: number;
  exhausted: number;
  messages: number;
  sweeps: number;
  /** From the moment at which an attempt was due to the start of its send. */
  latenessMs: number[];
}

export interface HourReport extends HourResult {
  /** The costs of accept, claim, record, sweep and retention, by these names. */
  costs: Record<string, Cost>;
  sizeBytes: number;
}
