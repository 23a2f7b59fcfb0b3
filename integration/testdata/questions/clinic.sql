-- A clinic: who sees whom, and what is prescribed.
CREATE TABLE public.doctors (
    id bigint PRIMARY KEY,
    full_name text NOT NULL,
    specialty text,
    hired_on date,
    consultation_fee numeric(8, 2)
);
CREATE TABLE public.patients (
    id bigint PRIMARY KEY,
    full_name text NOT NULL,
    gender char(1),
    birth_date date,
    city text,
    blood_type text
);
CREATE TABLE public.appointments (
    id bigint PRIMARY KEY,
    patient_id bigint NOT NULL REFERENCES public.patients,
    doctor_id bigint NOT NULL REFERENCES public.doctors,
    scheduled_at timestamp NOT NULL,
    status text NOT NULL,
    duration_min integer
);
CREATE TABLE public.medicines (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    manufacturer text,
    unit_price numeric(8, 2)
);
CREATE TABLE public.prescriptions (
    id bigint PRIMARY KEY,
    appointment_id bigint NOT NULL REFERENCES public.appointments,
    medicine_id bigint NOT NULL REFERENCES public.medicines,
    dose_mg integer,
    days integer
);
CREATE TABLE public.rooms (
    id bigint PRIMARY KEY,
    floor integer,
    kind text,
    beds integer
);
INSERT INTO public.doctors VALUES
    (1, 'Helen Marsh', 'cardiology', '2010-05-01', 180), (2, 'Ivan Petrov', 'dermatology', '2015-09-15', 120),
    (3, 'Amara Diallo', 'pediatrics', '2018-02-01', 110), (4, 'Jon Ek', 'cardiology', '2021-11-20', 160),
    (5, 'Sofia Rossi', 'neurology', '2012-07-07', 210);
INSERT INTO public.patients VALUES
    (1, 'Abel Stone', 'M', '1961-04-12', 'Harwick', 'A+'), (2, 'Bea Lund', 'F', '1985-10-30', 'Harwick', 'O-'),
    (3, 'Carlos Ruiz', 'M', '1999-01-05', 'Selby', 'B+'), (4, 'Dina Kaur', 'F', '2012-06-18', 'Selby', 'O+'),
    (5, 'Evan Clark', 'M', '1948-12-24', 'Harwick', 'AB+'), (6, 'Fay Young', 'F', '1977-03-03', 'Tarn', 'O+'),
    (7, 'Gus Weber', 'M', '2015-08-09', 'Tarn', 'A-');
INSERT INTO public.appointments VALUES
    (1, 1, 1, '2024-01-10 09:00', 'completed', 30), (2, 2, 2, '2024-01-11 10:30', 'completed', 20),
    (3, 3, 2, '2024-01-15 11:00', 'cancelled', 20), (4, 4, 3, '2024-02-02 08:45', 'completed', 25),
    (5, 5, 1, '2024-02-14 15:00', 'completed', 45), (6, 5, 4, '2024-03-01 13:15', 'no-show', 30),
    (7, 6, 5, '2024-03-12 16:40', 'completed', 60), (8, 1, 4, '2024-04-05 09:30', 'completed', 30),
    (9, 7, 3, '2024-04-18 10:00', 'cancelled', 25), (10, 2, 5, '2024-05-06 14:00', 'scheduled', 40),
    (11, 1, 1, '2024-05-20 09:00', 'scheduled', 30);
INSERT INTO public.medicines VALUES
    (1, 'Cardiol', 'Northfield', 2.40), (2, 'Dermacalm', 'Alba Pharma', 11.90), (3, 'Febrin', 'Northfield', 0.35),
    (4, 'Neurostat', 'Helix', 27.00), (5, 'Paxilor', 'Alba Pharma', 5.10);
INSERT INTO public.prescriptions VALUES
    (1, 1, 1, 50, 30), (2, 2, 2, 10, 14), (3, 4, 3, 250, 5), (4, 5, 1, 75, 60), (5, 5, 3, 500, 3), (6, 7, 4, 20, 28), (7, 8, 1, 50, 30);
INSERT INTO public.rooms VALUES (1, 1, 'ward', 4), (2, 1, 'surgery', 1), (3, 2, 'ward', 6), (4, 2, 'office', 0);
