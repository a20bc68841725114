/** The steps of the schema, in the order in which they are applied: one for each release that changes it. */
import { firstSchema } from './first-schema.ts';
import type { SchemaStep } from './schema-step.ts';

export const schemaSteps: readonly SchemaStep[] = [firstSchema];
