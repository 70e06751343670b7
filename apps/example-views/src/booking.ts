import { reply, tool } from "@toolwire/server";
import { viewFile } from "@toolwire/server/views/node";
import { z } from "zod";

const Booking = z.object({
  name: z.string().min(1).max(80),
  guests: z.int().min(1).max(12),
  day: z.iso.date(),
});

/** What the model knows of a booking. People fill in the rest. */
export const bookTable = tool({
  title: "Book a table",
  description: "Shows a form to book a table. Pass what the user has said already; they fill in the rest and send it",
  input: Booking.partial(),
  output: Booking.partial(),
  view: viewFile(new URL("../dist/views/form.html", import.meta.url), {
    uri: "ui://example/form",
    title: "Booking form",
  }),
  run: (known) =>
    reply({ structured: known, content: "The form is shown. The booking is made when the user sends it." }),
});

/** Books. Only the form calls it: a model cannot book what nobody has seen. */
export const confirmBooking = tool({
  title: "Confirm a booking",
  description: "Books a table",
  input: Booking,
  output: z.object({ number: z.string() }),
  visibility: ["app"],
  run: ({ name, day }) => ({ number: `${name.slice(0, 2).toUpperCase()}-${day.replaceAll("-", "")}` }),
});
