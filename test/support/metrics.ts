/** Reads the text format of Prometheus 0.0.4 strictly: https://prometheus.io/docs/instrumenting/exposition_formats/ */

interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Read {
  samples: ReadSample[];
  /** Undefined if there is no such sample. */
  value(name: string, labels: Record<string, string | number>): number | undefined;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) (?:[^\\\\\\n]|\\\\\\\\|\\\\n)+$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (?:gauge|counter)$`);
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`);

/**
 * Throws on a malformed line, on a metric that is not in one piece after its HELP and TYPE, and on a sample that comes
 * twice.
 */
export function parseMetrics(text: string): Read {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const samples: ReadSample[] = [];
  const seen = new Set<string>();
  let current = "";
  let helped = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, help] = line.match(HELP) ?? [];
    const [, type] = line.match(TYPE) ?? [];
    const [, name, list = "", value] = line.match(SAMPLE) ?? [];
    if (help !== undefined) helped = help;
    else if (type !== undefined) {
      if (helped !== type || seen.has(type)) throw new Error(`not in one piece, or without HELP: ${line}`);
      seen.add(type);
      current = type;
    } else if (name !== undefined && name === current) {
      if (seen.has(`${name}{${list}}`)) throw new Error(`twice: ${line}`);
      seen.add(`${name}{${list}}`);
      const labels = Object.fromEntries([...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of]));
      samples.push({ name, labels, value: Number(value) });
    } else throw new Error(`not of the format: ${line}`);
  }
  return {
    samples,
    value: (name, labels) =>
      samples.find(
        (one) => one.name === name && Object.entries(labels).every(([label, of]) => one.labels[label] === String(of)),
      )?.value,
  };
}
