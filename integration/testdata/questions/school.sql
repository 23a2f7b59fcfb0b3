-- A school: who teaches what, who sits where, who plays after lessons.
CREATE TABLE public.teachers (
    teacher_id integer PRIMARY KEY,
    name text NOT NULL,
    subject text,
    salary integer,
    hire_date date
);
CREATE TABLE public.pupils (
    pupil_id integer PRIMARY KEY,
    name text NOT NULL,
    grade integer,
    birthdate date,
    hometown text
);
CREATE TABLE public.classes (
    class_id integer PRIMARY KEY,
    title text NOT NULL,
    teacher_id integer REFERENCES public.teachers,
    capacity integer
);
CREATE TABLE public.enrolments (
    pupil_id integer REFERENCES public.pupils,
    class_id integer REFERENCES public.classes,
    mark integer,
    PRIMARY KEY (pupil_id, class_id)
);
CREATE TABLE public.clubs (
    club_id integer PRIMARY KEY,
    name text NOT NULL,
    meeting_day text
);
CREATE TABLE public.club_members (
    club_id integer REFERENCES public.clubs,
    pupil_id integer REFERENCES public.pupils,
    PRIMARY KEY (club_id, pupil_id)
);
INSERT INTO public.teachers VALUES
    (1, 'Ms Abbot', 'mathematics', 41000, '2009-08-15'), (2, 'Mr Brandt', 'physics', 43500, '2012-08-15'),
    (3, 'Ms Costa', 'music', 36000, '2019-01-07'), (4, 'Mr Dunn', 'mathematics', 39000, '2016-08-15'), (5, 'Ms Evers', 'history', 40500, '2014-02-01');
INSERT INTO public.pupils VALUES
    (1, 'Anna', 7, '2011-02-14', 'Leyton'), (2, 'Boris', 7, '2010-11-03', 'Leyton'), (3, 'Chloe', 8, '2009-12-25', 'Barrow'),
    (4, 'Dev', 8, '2010-01-30', 'Barrow'), (5, 'Elif', 9, '2008-07-19', 'Leyton'), (6, 'Finn', 9, '2009-03-08', 'Quorn'), (7, 'Gita', 9, '2008-09-01', 'Barrow');
INSERT INTO public.classes VALUES
    (1, 'Algebra I', 1, 24), (2, 'Mechanics', 2, 20), (3, 'Choir', 3, 40), (4, 'Geometry', 4, 22), (5, 'Ancient Rome', 5, 28), (6, 'Optics', 2, 18);
INSERT INTO public.enrolments VALUES
    (1, 1, 78), (2, 1, 64), (3, 2, 91), (4, 2, 55), (5, 2, 83), (1, 3, 88), (3, 3, 95), (6, 4, 71), (7, 4, 86), (5, 5, 90), (6, 5, 62), (2, 3, 70);
INSERT INTO public.clubs VALUES (1, 'Chess', 'Monday'), (2, 'Robotics', 'Wednesday'), (3, 'Drama', 'Friday');
INSERT INTO public.club_members VALUES (1, 1), (1, 4), (1, 6), (2, 3), (2, 5), (3, 2);
