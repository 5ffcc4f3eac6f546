/** A tenant's domains, in requests and answers. */
import * as z from "zod";
import { described, time } from "../../base/schemas/schemas";

const MAX_DOMAIN_CHARACTERS = 253;

const domainField = z.string().meta({ examples: ["acme.com"] });

const record = z
  .object({
    name: z.string().meta({ examples: ["_postern-challenge.acme.com"] }),
    type: z.literal("TXT"),
    value: z.string().meta({ examples: ["postern-domain-verification=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"] }),
  })
  .meta({ id: "ChallengeRecord", description: "The record that proves the domain, as it is entered in its zone." });

/** What the service says of a domain. */
export const domainBody = described("Domain", "A domain that the tenant says is its own.", () => ({
  domain: domainField.meta({ description: "In lower case and ASCII. It says nothing of the domains below it." }),
  state: z.enum(["pending", "proved", "lost"]).meta({
    description: "`lost`: it was proved, and its record has not been found on three days in turn.",
  }),
  provedBy: z
    .enum(["dns", "platform"])
    .nullable()
    .meta({ description: "`platform`: the product vouches for it, and it is never looked up." }),
  needsReview: z.boolean().meta({
    description:
      "True: it was added with a setup link, and signs nobody in before an owner has checked it, or activated the " +
      "connection.",
  }),
  record,
  checkedAt: time.nullable().meta({
    description: "When it was last looked up on request, or a daily look-up has changed something; null: never.",
  }),
  provedAt: time.nullable(),
  lastError: z
    .string()
    .optional()
    .meta({
      description: "What the last look-up has found instead of the record.",
      examples: ["Not found in DNS. cloudflare-dns.com sees no such record, dns.google sees no such record."],
    }),
}));

const claimed = z
  .string()
  .min(1)
  .max(MAX_DOMAIN_CHARACTERS)
  .meta({
    description: "A DNS name with a dot. Names in other scripts are stored in ASCII (IDNA).",
    examples: ["acme.com"],
  });

export const newDomain = described("DomainInput", "A domain that the tenant says is its own.", () => ({
  domain: claimed,
}));

export const vouchedDomain = described("PlatformDomainInput", "A domain that a tenant says is its own.", () => ({
  domain: claimed,
  proved: z
    .boolean()
    .default(false)
    .meta({
      description:
        "Whether the product vouches for it: nothing is looked up. While another tenant has the domain, it stays " +
        "`pending`.",
    }),
}));

export const domainRemoval = described("DomainRemoval", "How a domain is removed.", () => ({
  endEnforcement: z.boolean().default(false).meta({
    description: "The last domain is removed although sign-on is required of its people, which ends too.",
  }),
}));

export const ofDomain = z.object({ domain: domainField });

export type DomainBody = z.infer<typeof domainBody>;
