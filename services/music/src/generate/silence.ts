/** A context whose loudest samples are below this (-66 dB) is silence. */
export const silence = 0.0005
