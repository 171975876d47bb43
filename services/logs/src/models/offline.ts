/** What libraries for models of the Hugging Face hub read to stay off the network, in any language that they are written in. */
export const offlineVariables: Readonly<Record<string, string>> = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  HF_DATASETS_OFFLINE: '1',
}
