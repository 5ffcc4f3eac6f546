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
  /** How long retention took on the simulated clock. */
  retentionMs: number;
}

/** How a minute of the hour ended. */
export interface Minute {
  /** So far. */
  deliveries: number;
  /** Those of them that have not ended. */
  open: number;
  sizeBytes: number;
  isRetentionDone: boolean;
}

/** A line of the Worker's answer. The last one is the report, or says why there is none. */
export type Line = { minute: Minute } | { report: HourReport } | { error: string };

export interface HourReport extends HourResult {
  /** The costs of accept, claim, record, sweep and retention, by these names. */
  costs: Record<string, Cost>;
  sizeBytes: number;
}

/** What a run of some work costs in a full database. */
export interface WorkCost extends Cost {
  name: string;
  runsAnHour: number;
  ms: number;
}
