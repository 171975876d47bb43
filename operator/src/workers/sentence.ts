/** Ends a message with a full stop unless it has an end mark: those of Kubernetes often have none. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
