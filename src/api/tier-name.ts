/** The name of a tier in a body. */
import { Type } from 'typebox';
import { tierNames } from '#payments/tiers.ts';

export const TierNameSchema = Type.Enum(tierNames, {
  type: 'string',
  title: 'Tier',
  description: 'What is bought; `GET /pricing` has the prices.',
});
