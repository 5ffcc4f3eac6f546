/** How serious a log line is, and what is known about one. */

/** From the least to the most serious. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  /** Two for a message that is sometimes more serious. */
  level: LogLevel | readonly LogLevel[];
  /** Markdown. */
  meaning: string;
  /** Markdown; missing if there is nothing to do. */
  advice?: string;
}
