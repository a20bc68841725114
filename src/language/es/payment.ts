/** The Spanish of prices, and of the pages around a payment. */
import type { englishPayment } from '#language/en/payment.ts';

export const spanishPayment = {
  'price.dollars': 'US$',
  'paid.quote':
    'Para encontrar su pago solo necesitamos el día y la hora en que pagó, y el número de su recibo si lo tiene. Por favor, no incluya su pregunta.',
  'paid.prices': 'Ver los tres servicios',
  'paid.cancelled.title': 'Pago cancelado',
  'paid.cancelled': 'No se cobró nada. Puede elegir otra vez cuando quiera.',
  'paid.elsewhere.title': '¿Usted pagó {$tier}?',
  'paid.elsewhere':
    'Este pago no parece haber empezado en este navegador. Si pagó usted, por ejemplo en otro dispositivo o para un programa que trabaja para usted, continúe aquí.',
  'paid.elsewhere.not':
    'Si no pagó, cierre esta página. El pago es de otra persona, que podría ver cuándo se usa.',
  'paid.elsewhere.open': 'Sí, pagué. Continuar',
  'paid.program.title': 'Su pago llegó',
  'paid.program': 'El programa que pidió este pago sigue por sí solo. Puede cerrar esta página.',
  'paid.program.form':
    '{#strong}¿Le pidió que escribiera usted la consulta?{/strong} {#link}Abra el formulario{/link}. Con él se usa el pago, y el programa ya no puede enviar nada por él.',
  'paid.processing.title': 'Su pago está en camino',
  'paid.processing':
    'Su banco todavía no ha confirmado el pago. El formulario se abre aquí en cuanto lo haga.',
  'paid.processing.close': 'Puede cerrar esta página y volver a ella en este navegador.',
  'paid.processing.again': 'Mirar otra vez',
  'paid.failed.title': 'Su pago no se completó',
  'paid.failed':
    'Su banco no lo confirmó, así que no hay formulario que llenar. Si todavía quiere preguntar, pague otra vez, por favor.',
  'paid.failed.charged':
    '¿De todos modos aparece un cobro en su estado de cuenta? {#link}Escríbanos{/link}, y díganos cómo podemos responderle.',
  'paid.held':
    'Su pago llegó y no está perdido. Tuvimos que recuperar nuestros registros de una copia de seguridad, así que estamos comprobando que este pago no se haya usado antes. Después, el formulario se abre aquí.',
  'paid.held.wait':
    'Vuelva a esta página en unas horas. Si ya envió su consulta, no necesita esta página: escriba sus doce palabras en la página de su caso. Si ahí no abren nada, escríbanos, por favor.',
  'paid.none.title': 'Aquí no hay ningún formulario abierto',
  'paid.none':
    'Un formulario se abre aquí una vez que haya pagado, en el navegador con el que pagó. Se puede enviar una sola vez.',
  'paid.none.browser':
    '{#strong}¿Pagó en otro navegador?{/strong} Abra ahí nuestra página de inicio: lleva a su formulario.',
  'paid.none.mail':
    '{#strong}¿Cerró la ventana?{/strong} Revise su correo: {$minutes :integer} minutos después de pagar, enviamos un enlace de vuelta al formulario a la dirección de correo que dio en la página de pago. Puede estar en la carpeta de correo no deseado.',
  'paid.sent':
    '{#strong}¿Ya envió su formulario?{/strong} Escriba sus doce palabras en {#link}la página de su caso{/link}.',
  'paid.none.stuck':
    '{#strong}¿No puede volver a él?{/strong} Su pago no está perdido. Escríbanos, y díganos cómo podemos responderle.',
  'paid.unavailable.title': 'Un momento, por favor',
  'paid.unavailable':
    'Ahora mismo no podemos consultar al proveedor de pagos sobre su pago. Si pagó, no se pierde nada.',
  'paid.unavailable.reload': 'Cargue esta página otra vez en un minuto.',
  'paid.link.title': 'Volver a su formulario',
  'paid.link':
    'El botón abre su formulario en este navegador. Se queda abierto aquí hasta que lo envíe, durante {$days :integer} días como máximo.',
  'paid.link.private':
    'Si otras personas usan este dispositivo, abra mejor el enlace en una ventana privada.',
  'paid.link.open': 'Abrir mi formulario',
  'paid.link.none.title': 'Este enlace no abre ningún formulario',
  'paid.link.none':
    'Sirve hasta que se envíe el formulario, y durante {$days :integer} días como máximo. Revise que tenga el enlace completo: puede haberse cortado en el mensaje.',
  'paid.link.none.stuck':
    '{#strong}¿No lo ha enviado?{/strong} Su pago no está perdido. Escríbanos, y díganos cómo podemos responderle.',
} as const satisfies Readonly<Record<keyof typeof englishPayment, string>>;
