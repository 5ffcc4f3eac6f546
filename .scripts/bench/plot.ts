/**
 * A plot as SVG text: which share of deliveries has arrived after how long, one line a series, with time on a
 * logarithmic axis.
 */

export interface Series {
  label: string;
  /** Milliseconds. */
  latenciesMs: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { left: 60, right: 20, top: 40, bottom: 50 };
const COLORS = ["#1b6ca8", "#d98200", "#b3261e", "#3c7a3c"];
const MIN_MS = 1;
const POINTS = 400;

export function plotLatencies(title: string, series: readonly Series[]): string {
  const longest = Math.max(10, ...series.flatMap(({ latenciesMs }) => [...latenciesMs]));
  const decades = Math.ceil(Math.log10(longest));
  const x = (ms: number) =>
    MARGIN.left + (Math.log10(Math.max(ms, MIN_MS)) / decades) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (share: number) => HEIGHT - MARGIN.bottom - share * (HEIGHT - MARGIN.top - MARGIN.bottom);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"
  font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>
<text x="${MARGIN.left}" y="22" font-size="15">${title}</text>
${Array.from({ length: decades + 1 }, (_, decade) => timeGrid(x(10 ** decade), 10 ** decade)).join("\n")}
${[0, 0.25, 0.5, 0.75, 1].map((share) => shareGrid(y(share), share)).join("\n")}
${series.map((one, index) => line(one, COLORS[index % COLORS.length] ?? "black", index, x, y)).join("\n")}
<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">from the 202 to the arrival, ms</text>
</svg>
`;
}

const timeGrid = (x: number, ms: number) =>
  `<path d="M${x} ${MARGIN.top}V${HEIGHT - MARGIN.bottom}" stroke="#ddd"/>
<text x="${x}" y="${HEIGHT - 32}" text-anchor="middle">${ms}</text>`;

const shareGrid = (y: number, share: number) =>
  `<path d="M${MARGIN.left} ${y}H${WIDTH - MARGIN.right}" stroke="#ddd"/>
<text x="${MARGIN.left - 8}" y="${y + 4}" text-anchor="end">${share * 100} %</text>`;

function line(
  { label, latenciesMs }: Series,
  color: string,
  index: number,
  x: (ms: number) => number,
  y: (share: number) => number,
): string {
  const sorted = [...latenciesMs].sort((a, b) => a - b);
  const points = Array.from({ length: POINTS + 1 }, (_, point) => {
    const share = point / POINTS;
    const ms = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? MIN_MS;
    return `${x(ms).toFixed(1)},${y(share).toFixed(1)}`;
  });
  const labelY = HEIGHT - MARGIN.bottom - 70 + index * 18;
  return `<polyline points="${points.join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>
<text x="${WIDTH - MARGIN.right - 8}" y="${labelY}" text-anchor="end" fill="${color}">${label}</text>`;
}
