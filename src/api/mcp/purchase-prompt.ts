/** The prompt that walks a model through a purchase, from the price to the finding. */
import { DELIVERY_HOURS, tierNames } from '#payments/tiers.ts';
import { WORDS_MEANING } from './tool.ts';

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

export function formatPurchaseSteps(tier: string | undefined): string {
  const choice = tier
    ? `I have chosen ${JSON.stringify(tier)}; check that it is offered.`
    : 'Show me what the tiers cost and ask which one I want.';
  return `Please help me to have something looked into by this office. Do it step by step, and wait for my answer where you ask me something.

1. Before I tell you anything: say to me that what I write to you passes through the host of this model, and that the office sees it while it seals it. If I do not want that, offer me create_checkout with \`in_browser: true\`, after which I write on the office's own site, where my browser seals it, and stop.
2. get_payment_status, then get_pricing. ${choice} Show me the address of the terms and ask whether I agree to them.
3. create_checkout. Give me the address of the payment page; I pay there myself. Never ask me for card data.
4. get_order, once a minute at most, until the order of this checkout is \`paid\`. Never start another checkout meanwhile. If it is \`held\`, the payment is under review, for hours: tell me, and that I must not pay again. If it is \`expired\` or \`refunded\`, it will never be \`paid\`: ask me whether to go on.
5. Ask me what I want to know and for what else submit_inquiry needs, one thing after the other. Ask me whether anyone is in danger, and whether my purpose is lawful as \`lawful_purpose\` describes it; declare neither for me. Show me the whole inquiry, and submit it only when I say so.
6. The response has twelve words. Show them to me, and tell me to write them down: ${WORDS_MEANING}
7. get_case now and then: the finding is due within ${DELIVERY_HOURS} hours. If its state is \`awaiting_client\`, read_messages, ask me, and answer with send_case_message. \`declined\` and \`withdrawn\` are ends without a finding: tell me, and stop.
8. Once it is \`delivered\`, get_finding, and show it to me as it is.`;
}
