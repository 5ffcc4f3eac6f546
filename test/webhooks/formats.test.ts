/** The formats of schemas, beyond what the vendored suite asks for. */
import { expect, test } from "vitest";
import { compileSchema } from "../../src/webhooks/event-types/json-schema/check";
import { validate } from "../../src/webhooks/event-types/json-schema/validate";

test.each<[format: string, right: string[], wrong: string[]]>([
  // RFC 3339 appendix A: no unit may be left out.
  [
    "duration",
    ["P1Y2M", "P1M2D", "P1Y2M3DT4H5M6S", "PT1H2M", "PT1M2S", "P01D", "P2W"],
    ["P1Y2D", "PT1H2S", "P0Y1W", "P1WT1H", "PT", "P1YT", "PT0.5S", "P1D\n", "-P1D"],
  ],
  // RFC 3986 section 3.2: who, host, port.
  [
    "uri",
    ["http://:80", "http://a.b:", "http://u:p@[::1]:8/x?y?#z/?", "http://[v1.a:b]/", "http://087.10.0.1/", "urn:a:b"],
    ["http://a.b:c/", "http://a:8:0", "https://[@a.b/", "http:/[::1]", "http://[::ffff:01.2.3.4]", "http://a/#b#c"],
  ],
  ["ipv6", ["::ffff:192.168.0.1", "1::"], ["::ffff:192.168.0.01", "::256.1.1.1", "1::%1", "1.2.3.4"]],
  // RFC 3492, and RFC 5891 section 4.2.3 for marks and hyphens.
  [
    "hostname",
    ["xn--mnchen-3ya.de", "xn--e1afmkfd.XN--P1AI", "a--b"],
    ["xn--x", "a.xn--x.b", "xn--", "xn--hello-txk", "XN--aa---o47jg78q"],
  ],
  ["email", ["ada@xn--e1afmkfd.xn--p1ai"], ["ada@xn--x"]],
])("%s is checked as its RFC says", (format, right, wrong) => {
  const schema = compileSchema({ format });
  const isTaken = (text: string) => validate(schema, text, "").length === 0;
  expect([right.filter((text) => !isTaken(text)), wrong.filter(isTaken)]).toEqual([[], []]);
});

test("a long text is checked in time that grows with its length", () => {
  const length = 250_000;
  for (const text of [`http://${"a".repeat(length)}[`, `a:${"@".repeat(length)} `, `http://${"a:".repeat(length)}/ `]) {
    expect(validate(compileSchema({ format: "uri" }), text, "")).toHaveLength(1);
  }
});
