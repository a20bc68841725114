/** The Spanish of the home page. */
import type { englishHome } from '#language/en/home.ts';

export const spanishHome = {
  'home.title': 'Consultas confidenciales, con respuesta en {$hours :integer} horas',
  'home.description':
    'Haga una pregunta en confianza sobre una persona, una cuenta o un mensaje. Un investigador responde por escrito en un plazo de {$hours :integer} horas, y borramos su caso {$days :integer} días después.',
  'home.choose': 'Elija un servicio',
  'home.choose.title': 'elija un servicio',
  'home.choose.unknown': 'Elija uno de los tres servicios',
  'home.closed':
    'En este momento no se aceptan pagos, así que no se puede comprar nada. Un caso que ya está abierto no se ve afectado.',
  'home.test':
    '{#strong}Sitio de prueba.{/strong} Aquí ningún pago es real, y no hay ningún investigador que atienda su consulta.',
  'home.hero': 'Pregunte en confianza. Sepa la respuesta en {$time}.',
  'home.hero.lead':
    'Alguien le escribió, le paga, dice que le quiere o le amenaza, y usted necesita saber quién es. Cuéntenos lo que tiene. Un investigador lo averigua y responde por escrito.',
  'home.hero.prices': 'Ver los tres servicios, desde {$price}',
  'home.hero.privacy': 'Cómo protegemos su historia',
  'home.hero.danger':
    '¿Está en peligro ahora mismo? Llame primero al número de emergencias de su país: trabajamos en horas, no en minutos. {#link}Líneas de ayuda por país{/link}',
  'home.hero.about': 'Quiénes somos',
  'home.sheet': 'Su caso, tal como lo tiene nuestro servidor',
  'home.sheet.question': 'Su pregunta',
  'home.sheet.files': 'Sus archivos',
  'home.sheet.messages': 'Mensajes',
  'home.sheet.answer': 'La respuesta',
  'home.sheet.service': 'Servicio',
  'home.sheet.service.text': 'el que elija',
  'home.sheet.due': 'Plazo',
  'home.sheet.due.text': '{$hours :integer} horas después de enviarlo',
  'home.sheet.locked': 'bajo llave',
  'home.sheet.note':
    'Todo lo que aquí está tachado está bajo llave. Las llaves las tienen usted y nuestros investigadores; nuestro servidor, no.',

  'home.prices': 'Tres servicios, cada uno a un solo precio',
  'home.prices.pay':
    'Usted paga una sola vez, en la página de nuestro proveedor de pagos, y después hace su pregunta. El número de su tarjeta nunca nos llega. Lo que compró se llama “Online research” (investigación en línea) en su recibo y, después de nuestro nombre corto, en el estado de cuenta de su tarjeta.',
  'home.prices.mail':
    'Si {$minutes :integer} minutos después de pagar no ha enviado su pregunta, mandamos un solo correo con el camino de vuelta al formulario, a la dirección de correo que dé al pagar. No dice qué compró. Si otras personas leen su correo, dé una dirección que solo usted pueda abrir.',
  'home.prices.private':
    '¿Alguien más usa este dispositivo? Abra esta página en una ventana privada antes de pagar y no la cierre hasta enviar su pregunta. {#link}Qué queda en su dispositivo{/link}',
  'home.prices.before':
    'Antes de comprar, lea {#get}qué recibe{/get}, {#refunds}cuándo le devolvemos su dinero{/refunds} (por ejemplo, si no aceptamos su pregunta) y nuestras {#terms}condiciones{/terms}.',
  'tier.trace.ask': '¿Adónde lleva esto?',
  'tier.trace.about':
    'Para un solo punto de partida: una cuenta, un número de teléfono, una dirección de correo, una imagen o un mensaje.',
  'tier.dossier.ask': '¿Puedo confiar en esta persona?',
  'tier.dossier.about':
    'Para una persona o una empresa. Incluye una llamada para conversar sobre la respuesta.',
  'tier.deep_sweep.ask': '¿Hasta dónde llega esto?',
  'tier.deep_sweep.about': 'Para varias personas, cuentas o lugares que parecen estar relacionados.',
  'tier.delivery': '{$hours :integer} horas',
  'tier.delivery.call': '{$hours :integer} horas, más una llamada',
  'tier.answered': 'Respuesta en {$delivery}',
  'tier.once': 'dólares estadounidenses, un solo pago',
  'tier.called': 'La página de pago lo llama “{$name}”.',
  'tier.buy': 'Comprar {$tier}',
  'tier.tool':
    'Compra {$tier} por {$price}. Lleva a la página del proveedor de pagos, donde paga una persona; la pregunta se hace después.',

  'home.how': 'Qué pasa, y cuándo',
  'home.how.pay.when': 'Primero',
  'home.how.pay': 'Elija y pague',
  'home.how.pay.text':
    'No necesita una cuenta. Después de pagar, usted vuelve directamente a nuestro formulario.',
  'home.how.tell.when': 'Unos minutos',
  'home.how.tell': 'Háganos su pregunta',
  'home.how.tell.text':
    'Diga tanto o tan poco como quiera. El formulario le da doce palabras para anotar: son su único camino de vuelta a su caso.',
  'home.how.read.when': 'En {$hours :integer} horas o menos',
  'home.how.read': 'Lea la respuesta',
  'home.how.read.text':
    'Vuelva con sus doce palabras para seguir el caso, escribirnos y leer lo que encontramos.',
  'home.how.end.when': '{$days :integer} días después de la respuesta',
  'home.how.end': 'Borramos su caso',
  'home.how.end.text':
    'La pregunta, los archivos, los mensajes y la respuesta dejan de existir, salvo que nos pida guardarlos más tiempo.',

  'home.kept': 'Qué guardamos',
  'home.kept.what': 'Qué',
  'home.kept.who': 'Quién puede leerlo',
  'home.kept.end': 'Cuándo lo borramos',
  'home.kept.question': 'Su pregunta y sus archivos',
  'home.kept.messages': 'Los mensajes y la respuesta',
  'home.kept.two_sides': 'Usted y nuestros investigadores',
  'home.kept.after': '{$days :integer} días después de la respuesta',
  'home.kept.order': 'Su pedido',
  'home.kept.order.who': 'Nosotros y el proveedor de pagos',
  'home.kept.order.end':
    'Más tarde que su caso: lo necesitamos para nuestra contabilidad, y no nombra su caso',
  'home.kept.card': 'Su tarjeta',
  'home.kept.card.who': 'El proveedor de pagos',
  'home.kept.card.end': 'Nunca la tenemos',
  'home.kept.all': 'Todo lo que guardamos, y qué podría salir mal',
  'home.refused': 'Qué no hacemos',
  'home.refused.breaking': 'Entrar a la fuerza',
  'home.refused.breaking.text':
    'Solo usamos información pública. Ni contraseñas, ni dispositivos, ni datos robados.',
  'home.refused.hiding': 'Buscar a personas que se esconden',
  'home.refused.hiding.text': 'Si alguien escapó de un peligro, no lo buscamos.',
  'home.refused.watching': 'Vigilar o abordar a alguien',
  'home.refused.watching.text':
    'Ni ubicaciones en tiempo real, ni contacto con la persona por la que usted pregunta.',
  'home.refused.harm': 'Ayudar a hacer daño',
  'home.refused.harm.text':
    'Usted confirma que su propósito es legal. No aceptamos un caso que parezca otra cosa.',
  'home.agents': 'Para agentes de software',
  'home.agents.text':
    'Un programa puede comprar los mismos servicios a los mismos precios. La API está en {#code}{$api}{/code}; habla JSON, y sus errores dicen qué hacer. {#code}POST {$api}/stripe/checkout{/code} con el nombre de un servicio en {#code}tier{/code} da la dirección donde paga una persona. {#docs}La referencia de la API{/docs} tiene cada operación, y {#register}auth.md{/register} explica cómo registrarse (ambos en inglés). Los clientes de MCP encuentran lo mismo como herramientas en {#code}{$mcp}{/code}.',
} as const satisfies Readonly<Record<keyof typeof englishHome, string>>;
