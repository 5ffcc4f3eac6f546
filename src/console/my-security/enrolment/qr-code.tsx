/** A QR code, drawn as one SVG path. */
import { encode } from "uqr";

/** The quiet zone of four modules that scanners need (ISO/IEC 18004). */
const BORDER_MODULES = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: BORDER_MODULES });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={modules.join("")} fill="#000000" />
    </svg>
  );
}
