/** The English of the home page. */
export const englishHome = {
  'home.title': 'Confidential inquiries, answered within {$hours :integer} hours',
  'home.description':
    'Ask one question in confidence about a person, an account or a message. An investigator answers in writing within {$hours :integer} hours, and your case is deleted {$days :integer} days later.',
  'home.choose': 'Choose a service',
  'home.choose.title': 'choose a service',
  'home.choose.unknown': 'Choose one of the three services',
  'home.closed':
    'Payments are closed at the moment, so nothing can be bought. A case that is already open is not affected.',
  'home.test': '{#strong}Test site.{/strong} No payment here is real, and no investigator waits behind it.',
  'home.hero': 'Ask in confidence. Know in {$time}.',
  'home.hero.lead':
    'Someone wrote to you, pays you, loves you or threatens you, and you need to know who they are. Tell us what you have. An investigator looks into it and answers in writing.',
  'home.hero.prices': 'See the three services, from {$price}',
  'home.hero.privacy': 'How your story is protected',
  'home.hero.danger':
    'In danger right now? Call your local emergency number first: we work in hours, not in minutes. {#link}Helplines by country{/link}',
  'home.hero.about': 'Who we are',
  'home.sheet': 'Your case, as our server holds it',
  'home.sheet.question': 'Your question',
  'home.sheet.files': 'Your files',
  'home.sheet.messages': 'Messages',
  'home.sheet.answer': 'The answer',
  'home.sheet.service': 'Service',
  'home.sheet.service.text': 'your choice',
  'home.sheet.due': 'Due',
  'home.sheet.due.text': '{$hours :integer} hours after sending',
  'home.sheet.locked': 'locked',
  'home.sheet.note':
    'Everything blacked out here is locked. You and our investigators have the keys; our server doesn’t.',

  'home.prices': 'Three services, each at one price',
  'home.prices.pay':
    'You pay once, on the page of our payment provider, and ask your question afterwards. Your card number never reaches us. What you bought is called online research on your receipt and, after our short name, on your card statement.',
  'home.prices.mail':
    'If you haven’t sent your question {$minutes :integer} minutes after you paid, we send one email with the way back to the form, to the address you give when you pay. It doesn’t say what you bought. If other people read your email, give an address that only you can open.',
  'home.prices.private':
    'Does someone else use this device? Open this page in a private window before you pay, and keep it open until you’ve sent your question. {#link}What stays on your device{/link}',
  'home.prices.before':
    'Before you buy, read {#get}what you get{/get}, {#refunds}when you get your money back{/refunds} (for example, if we decline your question) and our {#terms}terms{/terms}.',
  'tier.trace.ask': 'Where does this lead?',
  'tier.trace.about':
    'For one starting point: an account, a phone number, an email address, a picture or a message.',
  'tier.dossier.ask': 'Can I trust this person?',
  'tier.dossier.about': 'For one person or one business. Includes a call to talk the answer through.',
  'tier.deep_sweep.ask': 'How far does this go?',
  'tier.deep_sweep.about': 'For several people, accounts or places that seem to belong together.',
  'tier.delivery': '{$hours :integer} hours',
  'tier.delivery.call': '{$hours :integer} hours, plus a call',
  'tier.answered': 'Answered within {$delivery}',
  'tier.once': 'US dollars, paid once',
  'tier.called': 'The payment page calls it “{$name}”.',
  'tier.buy': 'Buy {$tier}',
  'tier.tool':
    'Buys {$tier} for {$price}. It leads to the page of the payment provider, where a person pays; the question is asked after that.',

  'home.how': 'What happens, and when',
  'home.how.pay.when': 'First',
  'home.how.pay': 'Choose and pay',
  'home.how.pay.text': 'You don’t need an account. After paying you come straight back to our form.',
  'home.how.tell.when': 'A few minutes',
  'home.how.tell': 'Tell us your question',
  'home.how.tell.text':
    'Say as much or as little as you like. The form gives you twelve words to write down: they are your only way back to your case.',
  'home.how.read.when': 'Within {$hours :integer} hours',
  'home.how.read': 'Read the answer',
  'home.how.read.text':
    'Return with your twelve words to follow the case, to write to us and to read what we found.',
  'home.how.end.when': '{$days :integer} days after the answer',
  'home.how.end': 'We delete your case',
  'home.how.end.text':
    'Question, files, messages and answer are gone, unless you ask us to keep them longer.',

  'home.kept': 'What we keep',
  'home.kept.what': 'What',
  'home.kept.who': 'Who can read it',
  'home.kept.end': 'When we delete it',
  'home.kept.question': 'Your question and files',
  'home.kept.messages': 'Messages and the answer',
  'home.kept.two_sides': 'You and our investigators',
  'home.kept.after': '{$days :integer} days after the answer',
  'home.kept.order': 'Your order',
  'home.kept.order.who': 'We and the payment provider',
  'home.kept.order.end': 'Later than your case: we need it for our accounts, and it doesn’t name your case',
  'home.kept.card': 'Your card',
  'home.kept.card.who': 'The payment provider',
  'home.kept.card.end': 'We never have it',
  'home.kept.all': 'All of it, and what could still go wrong',
  'home.refused': 'What we refuse',
  'home.refused.breaking': 'Breaking in',
  'home.refused.breaking.text':
    'We only use publicly available information. No passwords, no devices, no stolen data.',
  'home.refused.hiding': 'Finding people in hiding',
  'home.refused.hiding.text': 'If someone has got away from danger, we will not look for them.',
  'home.refused.watching': 'Watching or approaching anyone',
  'home.refused.watching.text': 'No live locations, and no contact with the person you ask about.',
  'home.refused.harm': 'Helping to do harm',
  'home.refused.harm.text':
    'You confirm that your purpose is lawful. We decline a case that looks otherwise.',
  'home.agents': 'For software agents',
  'home.agents.text':
    'A program can buy the same services at the same prices. The API is at {#code}{$api}{/code}; it speaks JSON, and its errors say what to do. {#code}POST {$api}/stripe/checkout{/code} with the name of a service as {#code}tier{/code} gives the address where a person pays. {#docs}The API reference{/docs} has every operation, and {#register}auth.md{/register} explains how to register. MCP clients find the same as tools at {#code}{$mcp}{/code}.',
} as const;
