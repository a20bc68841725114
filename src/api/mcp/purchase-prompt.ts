/** The prompt that walks a model through a purchase, from the price to the finding. */
import { tierNames } from '#payments/tiers.ts';

export const purchasePrompt = {
  name: 'buy_inquiry',
  title: 'Have something looked into',
  description: 'Walks through a purchase: prices, payment by the person, the inquiry, and the finding.',
  arguments: [
    {
      name: 'tier',
      description: `Which tier: ${tierNames.join(', ')}. Without it, the person chooses.`,
      required: false,
    },
  ],
};

export function formatPurchasePrompt(steps: string, tier: string | undefined): string {
  const choice = tier
    ? `I have chosen ${JSON.stringify(tier)}; check that it is offered.`
    : 'Ask me which tier I want.';
  return `Please help me, “the person” below, to have something looked into by this office. Go step by step, and wait for my answer where you ask me something. ${choice}

Before I tell you anything, say to me that what I write to you passes through the host of this model, and that the office sees it while it seals it. If I do not want that, offer me create_checkout with \`in_browser: true\`, after which I write on the office's own site, where my browser seals it, and stop.

${steps}`;
}
