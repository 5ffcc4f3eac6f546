/** The text format of Prometheus, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
import { METRICS, type MetricName } from "./catalogue";

/** One value of a metric. Labels are our own fixed words and numbers, so none needs escaping. */
export interface MetricSample {
  name: MetricName;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** Makes a sample; none if the value is not known. */
export const sample = <N extends MetricName>(
  name: N,
  labels: Record<(typeof METRICS)[N]["labels"][number], string | number>,
  value: number | null | undefined,
): MetricSample[] => (value === null || value === undefined ? [] : [{ name, labels, value }]);

/** Writes samples, grouped by metric. A metric without samples is left out. */
export function textOf(samples: readonly MetricSample[]): string {
  return (Object.keys(METRICS) as MetricName[])
    .flatMap((name) => {
      const own = samples.filter((one) => one.name === name);
      return own.length === 0
        ? []
        : [`# HELP ${name} ${METRICS[name].help}`, `# TYPE ${name} ${typeOf(METRICS[name])}`, ...own.map(lineOf)];
    })
    .map((line) => `${line}\n`)
    .join("");
}

const typeOf = (metric: object): string => ("type" in metric ? "counter" : "gauge");

function lineOf({ name, labels, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, of]) => `${label}="${of}"`);
  return pairs.length === 0 ? `${name} ${value}` : `${name}{${pairs.join(",")}} ${value}`;
}
