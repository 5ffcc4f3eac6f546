/** The routes of sign-ons by SAML 2.0, to which the provider sends its responses. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { finishSaml } from "./finish";
import { takeResponse } from "./take";

const LIMITED = { callers: "anybody", limit: { rule: "signOn", per: "IP address" } } as const;
const ofConnection = z.object({ connection: z.string() });
/** Claims of a test have 8 KiB; what is longer was sealed by nobody here. */
const MAX_ANSWER_CHARACTERS = 24 * 1024;

const samlEndpoints = {
  take: endpoint({
    id: "takeSamlResponse",
    summary: "Takes the response of an identity provider by SAML 2.0 (its assertion consumer service).",
    description:
      "The `acsUrl` of a connection: a form with `SAMLResponse`. The browser goes on to `finishSamlSignOn`, to which " +
      "it brings the cookie of the sign-on that it began. A response that answers no request, as those of tiles, " +
      "begins a sign-on.",
    ...LIMITED,
    takesForm: true,
    bodyKiB: 256,
    answers: () => ({ 303: {}, path: ofConnection }),
    verb: async ({ deps, param, unchecked, client }) =>
      takeResponse(deps, param("connection"), await unchecked.form(), client.origin.ip ?? ""),
    answer: (c, url) => c.redirect(url, 303),
  }),
  finish: endpoint({
    id: "finishSamlSignOn",
    summary: "Ends a sign-on by SAML 2.0 in the browser that began it.",
    ...LIMITED,
    schema: z.object({ answer: z.string().max(MAX_ANSWER_CHARACTERS).default("") }).meta({
      id: "SamlAnswer",
      description: "What `takeSamlResponse` has sealed.",
    }),
    answers: () => ({ 302: {}, path: ofConnection }),
    verb: ({ deps, param, input, client, cookies }) =>
      finishSaml(deps, param("connection"), input.answer, client.origin.ip ?? "", cookies),
    answer: (c, url) => c.redirect(url, 302),
  }),
};

export const samlSignOnRoutes = routes({
  "POST /:connection/acs": samlEndpoints.take,
  "GET /:connection/finish": samlEndpoints.finish,
});
