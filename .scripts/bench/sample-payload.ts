/** Payloads like those of a shop: members repeat, ids and amounts do not. */

const hex = (characters: number) => crypto.randomUUID().replaceAll("-", "").slice(0, characters);

const lineOf = (quantity: number) =>
  JSON.stringify({
    sku: `SKU-${hex(8)}`,
    title: `Article ${hex(4)}`,
    quantity,
    unitPrice: { amount: 1_999 + quantity, currency: "EUR" },
  });

/** Returns JSON of exactly so many bytes, at least 200. */
export function orderOf(bytes: number): string {
  const customer = JSON.stringify({ id: `cus_${hex(14)}`, country: "DE" });
  const start = `{"order":"${crypto.randomUUID()}","customer":${customer},"note":"`;
  let lines = "";
  let left = bytes - start.length - '","lines":[]}'.length;
  for (let quantity = 1, line = lineOf(1); line.length + 1 <= left; quantity += 1, line = lineOf(quantity)) {
    lines += lines === "" ? line : `,${line}`;
    left = bytes - start.length - lines.length - '","lines":[]}'.length;
  }
  return `${start}${"x".repeat(left)}","lines":[${lines}]}`;
}
