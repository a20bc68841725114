/** What the operations need: where payments are settled and where cases are kept. */
import type { Registry } from '#cases/registry.ts';
import type { Till } from '#payments/till.ts';

export interface ApiParts {
  readonly till: Till;
  readonly registry: Registry;
}
