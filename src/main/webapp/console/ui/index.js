// The components that pages are composed of.
export { span } from "../span.js";
export * from "./documents.js";
export * from "./feedback.js";
export * from "./forms.js";
export * from "./icons.js";
export * from "./layout.js";
export * from "./states.js";
