export interface TrailProps {
  /** The titles of pages by their paths, the topmost one first. */
  to: Readonly<Record<string, string>>;
}

/** Links to the pages above this one. */
export const Trail = ({ to }: TrailProps) => (
  <p class="trail">
    {Object.entries(to).map(([path, title], index) => (
      <>
        {index > 0 && " / "}
        <a href={path}>{title}</a>
      </>
    ))}
  </p>
);
