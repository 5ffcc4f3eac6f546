/** The layout of a catalogue's pages. They need neither a session nor a script. */
import type { PropsWithChildren } from "hono/jsx";
import type { Brand } from "../../base/brand";
import { Head } from "../frame/layout";
import { pathIn } from "./paths";

type CatalogueLayoutProps = PropsWithChildren<{
  title: string;
  brand: Brand;
  /** The catalogue that the header leads to; null on the pages for errors. */
  home: { slug: string; title: string } | null;
}>;

export const CatalogueLayout = ({ title, brand, home, children }: CatalogueLayoutProps) => (
  <html lang="en">
    <Head title={title} nonce={null} brand={brand} />
    <body class="outside">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        {home ? (
          <a class="brand" href={pathIn(home.slug)}>
            {home.title}
          </a>
        ) : (
          <span class="brand">{brand.name}</span>
        )}
      </header>
      <main id="main">{children}</main>
    </body>
  </html>
);
