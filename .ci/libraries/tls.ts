/** TLS in front of the service, as in production: some libraries refuse http, and treat cookies in another way. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

export interface Tls {
  /** The certificate, which is its own authority. */
  caFile: string;
  close(): void;
}

/** Makes a certificate for localhost, which this process trusts, and serves `base` at the port. */
export async function startTls(folder: string, port: number, base: string): Promise<Tls> {
  const [keyFile, caFile] = [join(folder, "key.pem"), join(folder, "ca.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", keyFile, "-out", caFile], { stdio: "ignore" });
  const cert = readFileSync(caFile, "utf8");
  setDefaultCACertificates([...getCACertificates("default"), cert]);
  const server = createServer({ key: readFileSync(keyFile), cert }, (asked, answer) => {
    // Miniflare lets the service see this address.
    const headers = { ...asked.headers, "mf-original-url": `https://localhost:${port}${asked.url}` };
    const passed = request(`${base}${asked.url}`, { method: asked.method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    passed.once("error", () => answer.writeHead(502).end());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
  return { caFile, close: () => server.close() };
}
