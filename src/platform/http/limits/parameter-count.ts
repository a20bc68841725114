/** Counts the parameters of a form or an address without parsing them, since parsers of very many can be slow. */

export function countParameters(text: string): number {
  let count = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}
