/** What the pages of an inquiry need: where payments are settled and where cases are kept. */
import type { Registry } from '#cases/registry.ts';
import type { Till } from '#payments/till.ts';

export interface InquiryParts {
  readonly till: Till;
  readonly registry: Registry;
}
