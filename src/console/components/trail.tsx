/** Links to the pages above this one. `to` has their titles by their paths, the topmost page first. */
export const Trail = ({ to }: { to: Readonly<Record<string, string>> }) => (
  <p class="trail">
    {Object.entries(to).map(([path, title], index) => (
      <>
        {index > 0 && " / "}
        <a href={path}>{title}</a>
      </>
    ))}
  </p>
);
