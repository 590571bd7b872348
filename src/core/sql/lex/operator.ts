const operators = new Set(
  '<=> ->> #>> !~~* !~~ !~* ~~* || :: <= >= <> != := => -> ~* !~ @> <@ && ?| ?& #> #- << >> ** // ^@ == ^= .. |/ ~~ |> @@ <-> |||'.split(
    ' ',
  ),
);

const operatorPart = new Set([...operators].flatMap((text) => [...text.slice(1)].map((part) => part.charCodeAt(0))));

/** Where the operator that begins at this offset ends; every other character is one of its own. */
export function operatorEnd(text: string, at: number): number {
  let length = operatorPart.has(text.charCodeAt(at + 1)) ? Math.min(4, text.length - at) : 1;
  while (length > 1 && !operators.has(text.slice(at, at + length))) length--;
  return at + length;
}
